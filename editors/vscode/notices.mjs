/** Writes dist/NOTICES.txt: the licences of the packages that esbuild put into the bundle (dist/meta.json). */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const { inputs } = JSON.parse(readFileSync("dist/meta.json", "utf8"));
const folders = new Set();
for (const path of Object.keys(inputs)) {
  const found = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path);
  if (found) {
    folders.add(found[0]);
  }
}
const notices = [...folders].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)/i.test(each));
  if (file === undefined) {
    throw new Error(`${name}: no licence file; name its licence here before it is shipped`);
  }
  return `${name} ${version} (${license})\n\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`;
});
writeFileSync("dist/NOTICES.txt", notices.join(`\n${"-".repeat(80)}\n\n`));

// Runs the packaged extension in an editor in a browser, as somebody who uses it would: a finding, its path, an edit, a suppression.
//
//     node try.mjs FOLDER [PYROGRAPH]
//
// Writes pictures into FOLDER. PYROGRAPH is the program to start, by default the one on the PATH. Needs `pyrograph.vsix` (npm run package), and what the
// extension itself does not need: code-server on the PATH or in CODE_SERVER, Chromium in CHROMIUM or under one of its names, and playwright-core,
// which `npm install --no-save playwright-core` brings. Says "skipped" and ends with 0 where one of them is missing.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const PROGRAM = `import sqlite3

from flask import Flask, request

app = Flask(__name__)


@app.route("/users")
def users():
    name = request.args["name"]
    return found(name)


def found(name):
    db = sqlite3.connect("app.db")
    return db.execute(f"select * from users where name = '{name}'").fetchall()
`;
const MINUTE = 60_000;
const PORT = 8137;

const onPath = (name) => spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();

function skip(what) {
  console.log(`skipped: ${what}`);
  process.exit(0);
}

const folder = resolve(process.argv[2] ?? skip("no folder for the pictures is named"));
const pyrograph = resolve(process.argv[3] ?? (onPath("pyrograph") || skip("pyrograph is not installed")));
const server = process.env.CODE_SERVER ?? (onPath("code-server") || skip("code-server is not installed"));
const browserPath = process.env.CHROMIUM ?? (onPath("chromium") || onPath("google-chrome") || skip("Chromium is not installed"));
const extension = resolve("pyrograph.vsix");
if (!existsSync(extension)) skip("pyrograph.vsix is missing: npm run package");
const { chromium } = await import("playwright-core").catch(() => skip("playwright-core is not installed"));

mkdirSync(folder, { recursive: true });
const work = mkdtempSync(join(tmpdir(), "pyrograph-editor-"));
const project = join(work, "project");
const settings = join(work, "data", "User");
for (const each of [project, settings]) mkdirSync(each, { recursive: true });
writeFileSync(join(project, "app.py"), PROGRAM);
const chosen = { "pyrograph.path": [pyrograph], "workbench.startupEditor": "none", "security.workspace.trust.enabled": false };
writeFileSync(join(settings, "settings.json"), JSON.stringify(chosen));
const places = ["--user-data-dir", join(work, "data"), "--extensions-dir", join(work, "extensions")];
const command = server.endsWith(".js") ? [process.execPath, server] : [server];
const installed = spawnSync(command[0], [...command.slice(1), ...places, "--install-extension", extension], { encoding: "utf8" });
if (installed.status !== 0) throw new Error(installed.stderr);
const running = spawn(
  command[0],
  [...command.slice(1), ...places, "--auth", "none", "--bind-addr", `127.0.0.1:${PORT}`, "--disable-telemetry", "--disable-update-check", project],
  { stdio: "ignore" },
);

let page;
let number = 0;

async function picture(name) {
  number += 1;
  await page.screenshot({ path: join(folder, `${number}-${name}.png`) });
  console.log(`seen: ${name}`);
}

async function run(name) {
  await page.keyboard.press("F1");
  await page.locator(".quick-input-widget input").first().waitFor();
  await page.keyboard.type(name);
  await page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first().waitFor({ timeout: MINUTE });
  await page.keyboard.press("Enter");
}

/** Open the menu of actions; while a scan runs, there are none. */
async function actions() {
  for (let tries = 0; ; tries += 1) {
    await page.keyboard.press("Control+.");
    try {
      await page.locator(".action-widget").waitFor({ timeout: 5000 });
      return;
    } catch (error) {
      if (tries === 10) throw error;
      await page.keyboard.press("Escape");
    }
  }
}

/** Choose an action of the open menu by its beginning, with the keyboard. */
async function choose(name) {
  for (let tries = 0; tries < 10; tries += 1) {
    const label = await page.locator(".action-widget .monaco-list-row.focused").first().getAttribute("aria-label");
    if (label?.startsWith(name)) {
      await page.keyboard.press("Enter");
      return;
    }
    await page.keyboard.press("ArrowDown");
  }
  throw new Error(`there is no action "${name}"`);
}

async function goTo(line, column) {
  await page.keyboard.press("Control+g");
  await page.locator(".quick-input-widget input").first().waitFor();
  await page.keyboard.type(`${line}:${column}`);
  await page.keyboard.press("Enter");
}

async function saved(condition) {
  await page.keyboard.press("Control+s");
  for (let waited = 0; waited < MINUTE; waited += 500) {
    const text = readFileSync(join(project, "app.py"), "utf8");
    if (condition(text)) return text;
    await page.waitForTimeout(500);
  }
  throw new Error("the file was not written as expected");
}

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
try {
  page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.setDefaultTimeout(2 * MINUTE);
  for (let tries = 0; ; tries += 1) {
    try {
      await page.goto(`http://127.0.0.1:${PORT}/?folder=${project}`);
      break;
    } catch (error) {
      if (tries === 60) throw error;
      await page.waitForTimeout(1000);
    }
  }
  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "app.py" }).dblclick();
  await page.locator(".squiggly-error").first().waitFor();
  await picture("the finding is underlined");
  await page.locator(".codelens-decoration", { hasText: "/users" }).waitFor();
  await picture("the route stands above the handler");
  await page.locator(".view-lines").click();
  await run("Problems: Focus on Problems View");
  await page.locator(".markers-panel .monaco-list-row", { hasText: "sql" }).first().waitFor();
  await picture("the finding is a problem");
  await page.locator(".view-lines").click();
  await goTo(16, 24);
  await actions();
  await picture("the actions at the finding");
  await choose("Show the path");
  await page.locator(".pane", { hasText: "Path" }).locator(".monaco-list-row", { hasText: "request" }).first().waitFor();
  await picture("the view has the path");
  await run("pyrograph: Next Step of the Path");
  await picture("the next step is open");
  await page.locator(".view-lines").click();
  await goTo(16, 24);
  await actions();
  await choose("Suppress");
  await page.locator(".quick-input-widget input").first().waitFor();
  await page.keyboard.type("the table is public");
  await page.keyboard.press("Enter");
  await page.locator(".squiggly-error").first().waitFor({ state: "detached" });
  await saved((text) => text.includes("pyrograph: ignore") && text.includes("the table is public"));
  await picture("the finding is suppressed");
  console.log("passed");
} catch (error) {
  await page?.screenshot({ path: join(folder, "failed.png") });
  throw error;
} finally {
  await browser.close();
  running.kill();
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}

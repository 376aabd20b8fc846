-- Runs in Neovim (headless): opens a file, waits for the diagnostic, fixes it and takes that back, suppresses it, waits for its end.
local command, folder, file, answers = vim.fn.json_decode(vim.env.SERVER), vim.env.FOLDER, vim.env.FILE, vim.env.ANSWERS
local written = {}

local function finish(problem)
  written.problem = problem
  vim.fn.writefile({ vim.fn.json_encode(written) }, answers)
  vim.cmd("qall!")
end

local function wait(what, reached)
  if not vim.wait(tonumber(vim.env.PATIENCE) * 1000, reached, 20) then
    finish("nothing came: " .. what)
  end
end

local client = vim.lsp.start_client({
  cmd = command,
  root_dir = folder,
  workspace_folders = { { uri = vim.uri_from_fname(folder), name = "program" } },
  init_options = { debounce = 0 },
})
vim.cmd("edit " .. vim.fn.fnameescape(file))
vim.lsp.buf_attach_client(0, client)

-- what docs/editors.md has for *Show the path*
local function show_path(action)
  loadstring(vim.env.SNIPPET)()
  vim.lsp.commands[action.command.command](action.command, { bufnr = 0, client_id = client })
  wait("the path", function() return #vim.fn.getqflist() > 0 end)
  written.path = vim.tbl_map(function(item) return { line = item.lnum, column = item.col, text = item.text } end, vim.fn.getqflist())
  vim.cmd("cclose")
end

wait("a diagnostic", function() return #vim.diagnostic.get(0) > 0 end)
local found = vim.diagnostic.get(0)[1]
written.diagnostic = { line = found.lnum, column = found.col, last = found.end_col, code = found.code, message = found.message }

local params = {
  textDocument = vim.lsp.util.make_text_document_params(),
  range = found.user_data.lsp.range or {
    start = { line = found.lnum, character = found.col }, ["end"] = { line = found.lnum, character = found.col },
  },
  context = { diagnostics = {} },
}
local patience = tonumber(vim.env.PATIENCE) * 1000
local function listed()
  return vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, patience)[client].result
end

local fix = listed()[1]
written.fix = fix.title
fix = vim.lsp.buf_request_sync(0, "codeAction/resolve", fix, patience)[client].result
vim.lsp.util.apply_workspace_edit(fix.edit, vim.lsp.get_client_by_id(client).offset_encoding)
wait("the end of what was fixed", function() return #vim.diagnostic.get(0) == 0 end)
written.fixed = vim.api.nvim_buf_get_lines(0, 0, -1, false)
vim.cmd("undo")
wait("the diagnostic again", function() return #vim.diagnostic.get(0) > 0 end)
written.titles = {}
for _, action in ipairs(listed()) do
  table.insert(written.titles, action.title)
  if action.title:find("Show the path", 1, true) then
    show_path(action)
  end
  if action.title:find("Suppress", 1, true) and not written.chosen then
    written.chosen = action.title
    if not action.command then
      action = vim.lsp.buf_request_sync(0, "codeAction/resolve", action, patience)[client].result
      vim.lsp.util.apply_workspace_edit(action.edit, vim.lsp.get_client_by_id(client).offset_encoding)
    else
      vim.lsp.buf_request_sync(0, "workspace/executeCommand", action.command, patience)
    end
  end
end
wait("the end of the diagnostic", function() return #vim.diagnostic.get(0) == 0 end)
written.lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
vim.cmd("write")
finish()

// Starts `sacheck lsp` for files in `.sa`, and in C if that is wanted, and stops it again. Everything else is the server's business.
"use strict";
const { window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const settings = workspace.getConfiguration("sacheck"), command = settings.get("command");
  const languages = settings.get("c") ? ["sacheck", "c"] : ["sacheck"];
  const server = { command, args: ["lsp"] };
  client = new LanguageClient("sacheck", "sacheck", server, { documentSelector: languages.map(language => ({ language })) });
  return client.start().catch(() => {
    const hint = "Install sacheck with its editor server, or say in the setting sacheck.command where it is.";
    window.showErrorMessage(`\`${command} lsp\` cannot be started. ${hint}`);
  });
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };

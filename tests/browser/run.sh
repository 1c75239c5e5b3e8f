#!/usr/bin/env bash
# Drives the real binary in a real Chromium, two tabs at a time; `run.sh plan goal` runs only these scenarios.
# CHROMIUM names the browser, WAYMARK_BIN the binary; SHOTS a folder for a picture of each moment that is looked at.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly page=crates/gateway/ui

if [[ ! -d $page/node_modules/playwright-core ]]; then
    (cd "$page" && npm ci --ignore-scripts --no-audit --no-fund)
fi
# Without a binary that was asked for, the newest: it has the page built in, and an old one would be the wrong page.
if [[ -z ${WAYMARK_BIN:-} ]]; then
    cargo build --locked -p server
    export WAYMARK_BIN=${CARGO_TARGET_DIR:-target}/debug/waymark
fi
unset OPENAI_API_KEY OPENAI_BASE_URL OPENAI_MODEL
exec node tests/browser/main.mjs "$@"

// Chromium, through the playwright-core that the page's own tools bring.

import { createRequire } from "node:module";

const { chromium } = createRequire(new URL("../../crates/gateway/ui/package.json", import.meta.url))("playwright-core");

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync",
    ],
  });
}

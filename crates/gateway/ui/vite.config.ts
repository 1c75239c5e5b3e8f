import { defineConfig } from "vite";
import react from "@vitejs/plugin-react";

const gateway = "http://127.0.0.1:4781";

export default defineConfig({
  plugins: [react()],
  base: "/",
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2022",
    // Everything stays a file: the page's content security policy admits no inline script or style.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
  },
  server: {
    host: "127.0.0.1",
    proxy: { "/v1": { target: gateway, ws: true } },
  },
});

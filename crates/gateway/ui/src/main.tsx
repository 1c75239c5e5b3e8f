import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./shell/App";
import { applyTheme, startRouting } from "./state/intents";
import { connect } from "./state/live";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/transcript.css";
import "./styles/prose.css";
import "./styles/cards.css";
import "./styles/dock.css";

applyTheme();
const root = document.getElementById("root");
if (!root) throw new Error("the page has no root element");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
startRouting();
connect();

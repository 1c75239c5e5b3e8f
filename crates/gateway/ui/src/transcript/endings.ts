// How a turn ended, in words, and what to do about it.

import type { EndReason } from "../wire/events";

export interface Ending {
  tone: "quiet" | "warn" | "bad";
  text: string;
  advice: string;
}

const ADVICE: Record<string, string> = {
  auth: "Check the provider's key in the configuration, then send the prompt again.",
  network: "Check the connection to the provider, then send the prompt again.",
  "stream-cut": "The answer broke off. Send the prompt again, or say “go on”.",
  "rate-limit": "The provider asks for a pause. Wait a little, then say “go on”.",
  overloaded: "The provider is overloaded. Wait a little, then say “go on”.",
  "context-length": "The conversation is too long for the model. Fork from an earlier turn.",
};

export function ending(reason: EndReason): Ending {
  const said = reason.message ?? "";
  switch (reason.kind) {
    case "completed": return { tone: "quiet", text: "", advice: "" };
    case "aborted": return { tone: "warn", text: "Stopped.", advice: "" };
    case "interrupted": return { tone: "warn", text: "Interrupted: waymark stopped during this turn.", advice: "What is shown was kept. Say “go on” to continue." };
    case "max-tokens": return { tone: "warn", text: "The model's output limit was reached.", advice: "Say “go on” to continue." };
    case "step-limit": return { tone: "warn", text: "This turn used all its steps.", advice: "Say “go on” to give it more." };
    case "blocked": return { tone: "warn", text: said || "The prompt was not admitted.", advice: "" };
    case "error": return { tone: "bad", text: said || "The model could not be asked.", advice: ADVICE[reason.code ?? ""] ?? "Send the prompt again to retry." };
    default: return { tone: "warn", text: said || `Ended: ${reason.kind}.`, advice: "" };
  }
}

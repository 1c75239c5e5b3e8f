// A stand-in for the gateway: the same wire, sessions in memory. `npm run mock`, then `npm run dev`;
// it also serves ../dist with the real page's security headers on its own port.

import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";
import { carryOut } from "./commands.mjs";
import { seed } from "./seed.mjs";
import { Session } from "./session.mjs";

const PORT = Number(process.env.PORT ?? 4781);
const SPEED = Number(process.env.SPEED ?? 1);
const DIST = fileURLToPath(new URL("../../dist", import.meta.url));
const CSP = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };

const sessions = new Map();
const lists = new Map();
let announced = false;

function onChange() {
  if (announced) return;
  announced = true;
  setImmediate(() => { announced = false; for (const [send, wanted] of lists) send(list(wanted)); });
}

/** The whole list that fits, as one page. */
function list({ query, archived }) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const all = [...sessions.values()].map((session) => session.row());
  const fits = (row) => (archived || !row.archived) && words.every((word) => (row.title ?? "").toLowerCase().includes(word));
  return { type: "sessions", query, archived, rows: all.filter(fits), next: null, archived_total: all.filter((row) => row.archived).length };
}
const make = (id, options = {}) => { const session = new Session(id, { speed: SPEED, onChange, ...options }); sessions.set(id, session); return session; };

seed(make, process.env.SEED ?? "full");

const hello = {
  type: "hello", log: "mock-log", version: "0.1.0", model: "rehearsal", provider: "rehearsal", workspace: "/home/ada/src/manifold", role: "owner",
  commands: [
    { name: "plan", hint: "[off|message]", help: "Enter or leave plan mode" },
    { name: "goal", hint: "[objective|pause|resume|edit|clear]", help: "Set a goal and work on it round by round" },
  ],
};

async function answer(request, response) {
  const url = new URL(request.url, "http://mock");
  const reply = (status, body) => { response.writeHead(status, { "content-type": "application/json" }); response.end(JSON.stringify(body)); };
  const [, , , id, what, extra] = url.pathname.split("/");
  if (url.pathname === "/v1/mock/drop") { drop(Number(url.searchParams.get("ms"))); return reply(200, {}); }
  if (url.pathname === "/v1/mock/revoke") { isRevoked = true; drop(1e9); return reply(200, {}); }
  if (url.pathname === "/v1/health") return reply(isRevoked ? 401 : 200, {});
  if (!url.pathname.startsWith("/v1/")) return serve(url.pathname, response);
  const body = request.method === "POST" ? JSON.parse(await text(request)) : null;
  if (url.pathname === "/v1/sessions") { make(body.session, { title: body.title ?? null }).append([["session/created", {}]]); return reply(201, {}); }
  const session = sessions.get(id);
  if (!session) return reply(404, { code: "SESSION_NOT_FOUND", message: "there is no such session" });
  if (request.method === "DELETE") {
    sessions.delete(id);
    for (const send of session.watchers) send({ type: "closed", session: id, code: "SESSION_DELETED", why: "the session was deleted" });
    onChange();
    return reply(200, { session: id });
  }
  if (what === "fork") {
    const child = make(body.session, { title: session.slices.title, parent: { session: id, fork_seq: body.at_seq }, events: session.events.slice(0, body.at_seq) });
    child.append([["session/created", { parent: id, fork_seq: body.at_seq }]]);
    return reply(201, { session: body.session, cut: body.at_seq });
  }
  if (what === "events") return reply(200, session.page(Number(url.searchParams.get("before")), Number(url.searchParams.get("limit"))));
  if (what === "plans" && session.plan?.sha256 === extra) return reply(200, session.plan);
  return reply(404, { code: "NOT_FOUND", message: "there is no such thing" });
}

async function text(request) {
  let body = "";
  for await (const chunk of request) body += chunk;
  return body;
}

async function serve(path, response) {
  const file = join(DIST, normalize(path === "/" ? "/index.html" : path));
  const bytes = file.startsWith(DIST) ? await readFile(file).catch(() => null) : null;
  response.writeHead(bytes ? 200 : 404, { "content-type": TYPES[extname(file)] ?? "application/octet-stream", "content-security-policy": CSP });
  response.end(bytes ?? "not found");
}

let isRevoked = false;
let isDown = false;

/** Cuts every socket and refuses new ones for a while. */
function drop(ms) {
  isDown = true;
  for (const socket of sockets.clients) socket.terminate();
  setTimeout(() => { isDown = false; }, Math.min(ms, 2 ** 30)).unref();
}

const server = createServer((request, response) => void answer(request, response));
const sockets = new WebSocketServer({ server, path: "/v1/ws", verifyClient: () => !isDown, handleProtocols: () => "waymark.v1" });

sockets.on("connection", (socket) => {
  const send = (frame) => socket.send(JSON.stringify(frame));
  const watched = new Set();
  send(hello);
  socket.on("message", (data) => receive(JSON.parse(String(data)), send, watched));
  socket.on("close", () => { lists.delete(send); for (const session of watched) session.watchers.delete(send); });
});

function receive(frame, send, watched) {
  const session = sessions.get(frame.session);
  if (frame.type === "ping") return send({ type: "pong", n: frame.n });
  if (frame.type === "watch-sessions") { lists.set(send, frame); return send(list(frame)); }
  if (!session) return send({ type: "refused", id: frame.id ?? null, session: frame.session, code: "SESSION_NOT_FOUND", message: "there is no such session here", current: null });
  if (frame.type === "close") { session.watchers.delete(send); watched.delete(session); return undefined; }
  if (frame.type === "open") {
    const since = frame.cursor ? session.events.filter((event) => event.seq > frame.cursor.seq) : null;
    const history = since ? { events: since, more: false } : session.page(Infinity, Number(process.env.PAGE ?? 500));
    session.watchers.add(send);
    watched.add(session);
    return send({ type: "snapshot", session: frame.session, cursor: session.cursor(), slices: session.slices, history });
  }
  const refusal = carryOut(session, frame.command);
  if (refusal) return send({ type: "refused", id: frame.id, session: frame.session, current: null, ...refusal });
  return send({ type: "receipt", id: frame.id, session: frame.session, seq: session.seq, reply: null });
}

server.listen(PORT, "127.0.0.1", () => console.log(`mock gateway at http://127.0.0.1:${PORT}/ ${randomUUID().slice(0, 8)}`));

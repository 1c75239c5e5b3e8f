// One socket, kept open: it comes back by itself, and a silent one is given up.

import type { ClientFrame, ServerFrame } from "../wire/frames";

export const PING_EVERY_MS = 15_000;
export const SILENCE_MAX_MS = 30_000;
const RETRY_FIRST_MS = 300;
const RETRY_MAX_MS = 5_000;

export type LinkState = "connecting" | "open" | "lost" | "unauthorised";

/** Returns how long to wait before attempt `attempt` (from 0); `random` in [0, 1) spreads tabs apart. */
export function retryDelayMs(attempt: number, random: number): number {
  const ceiling = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** attempt);
  return Math.max(RETRY_FIRST_MS, ceiling * (0.6 + 0.4 * random));
}

/** What the connection needs of a WebSocket. */
export interface Socket {
  onopen: (() => void) | null;
  onclose: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  send(text: string): void;
  close(): void;
}

export interface Surroundings {
  connect: () => Socket;
  /** Says whether the sign-in still holds; asked after each lost socket. */
  isSignedIn: () => Promise<boolean>;
  now: () => number;
  random: () => number;
  later: (run: () => void, ms: number) => unknown;
  never: (timer: unknown) => void;
  onState: (state: LinkState) => void;
  onFrame: (frame: ServerFrame) => void;
}

export class Connection {
  private socket: Socket | null = null;
  private state: LinkState = "connecting";
  private attempt = 0;
  private heardAtMs = 0;
  private pings = 0;
  private heartbeat: unknown = null;
  private retry: unknown = null;

  constructor(private readonly around: Surroundings) {}

  /** Connects now, whatever wait is running; does nothing while a socket is up or coming up. */
  start(): void {
    if (this.socket || this.state === "unauthorised") return;
    this.around.never(this.retry);
    const socket = this.around.connect();
    this.socket = socket;
    this.heardAtMs = this.around.now();
    socket.onopen = () => this.opened(socket);
    socket.onclose = () => this.lost(socket);
    socket.onmessage = (event) => this.heard(socket, event.data);
    this.beat();
  }

  /** Sends a frame; says false when there is no open socket to send it on. */
  send(frame: ClientFrame): boolean {
    if (!this.socket || this.state !== "open") return false;
    this.socket.send(JSON.stringify(frame));
    return true;
  }

  private opened(socket: Socket): void {
    if (socket !== this.socket) return;
    this.enter("open");
  }

  private heard(socket: Socket, data: unknown): void {
    if (socket !== this.socket || typeof data !== "string") return;
    this.heardAtMs = this.around.now();
    // Only a served socket resets the back-off: one that opens and dies at once must not be hammered.
    this.attempt = 0;
    this.around.onFrame(JSON.parse(data) as ServerFrame);
  }

  private beat(): void {
    this.around.never(this.heartbeat);
    this.heartbeat = this.around.later(() => {
      const socket = this.socket;
      if (!socket) return;
      if (this.around.now() - this.heardAtMs >= SILENCE_MAX_MS) {
        socket.close();
        this.lost(socket);
        return;
      }
      this.pings += 1;
      this.send({ type: "ping", n: this.pings });
      this.beat();
    }, PING_EVERY_MS);
  }

  private lost(socket: Socket): void {
    if (socket !== this.socket) return;
    this.socket = null;
    this.around.never(this.heartbeat);
    this.enter("lost");
    const delay = retryDelayMs(this.attempt, this.around.random());
    this.attempt += 1;
    this.retry = this.around.later(() => this.start(), delay);
    void this.checkSignIn();
  }

  private async checkSignIn(): Promise<void> {
    if (await this.around.isSignedIn()) return;
    this.around.never(this.retry);
    this.enter("unauthorised");
    this.socket?.close();
    this.socket = null;
  }

  private enter(state: LinkState): void {
    this.state = state;
    this.around.onState(state);
  }
}

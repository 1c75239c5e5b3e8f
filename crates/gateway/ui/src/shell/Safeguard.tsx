import { Component, type ReactNode } from "react";

/** Keeps a fault in one part of the page from blanking the rest. */
export class Safeguard extends Component<{ children: ReactNode }, { fault: string | null }> {
  override state = { fault: null };

  static getDerivedStateFromError(error: unknown): { fault: string } {
    return { fault: String(error) };
  }

  override render(): ReactNode {
    if (this.state.fault === null) return this.props.children;
    return (
      <section className="nothing" role="alert">
        <h2>This part of the page failed</h2>
        <p className="code">{this.state.fault}</p>
        <button className="button" onClick={() => location.reload()}>Reload</button>
      </section>
    );
  }
}

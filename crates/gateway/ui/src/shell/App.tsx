import { useEffect, useState } from "react";
import { newSession } from "../state/intents";
import { usePage, useView } from "../state/store";
import { Dock } from "../dock/Dock";
import { Transcript } from "../transcript/Transcript";
import { Alerts } from "./Alerts";
import { Banner } from "./Banner";
import { Header } from "./Header";
import { Safeguard } from "./Safeguard";
import { Sidebar } from "./Sidebar";

export function App() {
  const selected = usePage((page) => page.selected);
  const role = usePage((page) => page.hello?.role);
  const [isListOpen, setListOpen] = useState(false);
  useEffect(() => setListOpen(false), [selected]);
  return (
    <div className="app" data-role={role} data-list={isListOpen ? "open" : "closed"}>
      <Sidebar onChosen={() => setListOpen(false)} />
      {isListOpen && <button className="veil" aria-label="Close the session list" onClick={() => setListOpen(false)} />}
      <main className="main">
        <Banner />
        {selected ? <Session key={selected} session={selected} onList={() => setListOpen(true)} /> : <Nothing />}
        <Alerts />
      </main>
    </div>
  );
}

function Session({ session, onList }: { session: string; onList: () => void }) {
  const view = useView();
  const title = view.slices?.title ?? "New session";
  const isWaiting = (view.slices?.questions.length ?? 0) > 0;
  useEffect(() => { document.title = `${isWaiting ? "● " : ""}${title} · Waymark`; }, [title, isWaiting]);
  return (
    <>
      <Header session={session} onList={onList} />
      {view.deleted || (view.closed && !view.slices) ? (
        <section className="nothing" role="alert">
          <h2>{view.deleted ? "This session was deleted" : "This session cannot be shown"}</h2>
          <p>{view.deleted ? "Somebody deleted it, here or in another tab." : view.closed}</p>
          <button className="button primary" onClick={() => void newSession()}>New session</button>
        </section>
      ) : (
        <>
          <Safeguard><Transcript session={session} /></Safeguard>
          <Dock session={session} />
        </>
      )}
    </>
  );
}

function Nothing() {
  const isViewer = usePage((page) => page.hello?.role === "viewer");
  if (isViewer) return <section className="nothing"><p>There is no session to look at yet.</p></section>;
  return <section className="nothing" aria-busy="true" />;
}

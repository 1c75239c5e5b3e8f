import { dismissAlert, usePage } from "../state/store";
import { Icon } from "./Icon";

export function Alerts() {
  const alerts = usePage((page) => page.alerts);
  if (alerts.length === 0) return null;
  return (
    <div className="alerts">
      {alerts.map((alert) => (
        <div className="toast" role="alert" key={alert.id}>
          <p>{alert.text}{alert.code && <small className="code">{alert.code}</small>}</p>
          <button className="button quiet square" aria-label="Dismiss" onClick={() => dismissAlert(alert.id)}><Icon name="close" /></button>
        </div>
      ))}
    </div>
  );
}

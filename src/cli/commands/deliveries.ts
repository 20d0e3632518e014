import { type Connection, getJson } from '../api/api-client.js';
import { type Happening, toHappening } from '../api/happening.js';
import { table } from '../terminal/table.js';

interface Delivery extends Happening {
  readonly event_type: string;
  readonly domain: string | null;
  readonly channel_id: string;
  readonly state: string;
  readonly created_at: string;
  readonly attempts: readonly { readonly outcome: string | null }[];
}
export interface DeliveryPage {
  readonly data: readonly Delivery[];
  readonly meta: { readonly page: number; readonly per_page: number; readonly total: number };
}

/** @param path below the API: those of a channel, or those about an entry */
export async function readDeliveries(path: string, page: number, connection: Connection): Promise<DeliveryPage> {
  return (await getJson(`${path}?page=${page}`, connection)) as DeliveryPage;
}

/** Each with the name first: which of them an event is about is what is looked for. */
export function toDeliveryLines({ data, meta }: DeliveryPage): string[] {
  if (data.length === 0) return ['nothing was sent'];
  const rows = data.map((one) => [
    one.domain ?? '-',
    toHappening(one) ?? one.event_type,
    one.created_at,
    one.channel_id,
    one.state,
    toLastOutcome(one),
  ]);
  const lines = table(['DOMAIN', 'WHAT HAPPENED', 'WHEN', 'CHANNEL', 'STATE', 'LAST ATTEMPT'], rows);
  const pages = Math.ceil(meta.total / meta.per_page);
  return pages > 1 ? [...lines, `page ${meta.page} of ${pages}`] : lines;
}

function toLastOutcome({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  return last === undefined ? 'none' : (last.outcome ?? 'in progress');
}

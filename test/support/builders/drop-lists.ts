import { gzipSync } from 'node:zlib';

type Row = readonly [domain: string, dropAt: string];

/** As Nominet publishes it, but for the ROIDs. */
export function nominetList(...rows: readonly Row[]): Buffer {
  const lines = rows.map(([domain, dropAt], n) => `${n}-UK,${domain},${dropAt}`);
  return gzipSync(['roid,domain,drop_time', ...lines, ''].join('\n'));
}

/** As Internetstiftelsen publishes it. */
export function swedishList(...rows: readonly Row[]): Buffer {
  return Buffer.from(JSON.stringify({ data: rows.map(([name, release_at]) => ({ name, release_at })) }));
}

/** As auDA publishes it, with the date and the time in columns of their own. */
export function australianList(...rows: readonly (readonly [date: string, time: string, domain: string])[]): Buffer {
  return Buffer.from(['Date,Eligible Purge Time,Domain Name', ...rows.map((row) => row.join(',')), ''].join('\r\n'));
}

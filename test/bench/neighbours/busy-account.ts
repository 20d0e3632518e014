import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { answerOrders } from '../child.js';
import { connect as connectTo } from '../postgres.js';

/** The busy account, in a process of its own so that its work does not delay what is measured. */
export type Scenario = 'sorting' | 'importing' | 'uploading' | 'watching';
export type Order = { readonly prepare: Scenario } | { readonly begin: Scenario } | { readonly end: Scenario };

const SORTED_ENTRIES = Number(process.env['ENTRIES']);
const WATCHED_NAMES = 10_000;
const IN_A_FILE = 10_000;
const [SORTERS, POSTERS, UPLOADS] = [30, 200, 10];

const service = process.env['SERVICE'] ?? '';
const headers = { authorization: `Bearer ${process.env['KEY']}` };
const dispatcher = new Agent({ connections: SORTERS + POSTERS, bodyTimeout: 600_000, headersTimeout: 600_000 });
const database = await connectTo(process.env['DATABASE'] ?? '');

let isBusy = false;
let names = 0;
let work: Promise<unknown>[] = [];
let sockets: Socket[] = [];

const BEGIN: Readonly<Record<Scenario, () => Promise<unknown>[]>> = {
  sorting: () => times(SORTERS, () => repeat(() => send('/v1/watchlist?sort=-expires_at&per_page=100'))),
  importing: () => [repeat(() => importFile('imported', 'test')), ...times(POSTERS, () => repeat(addOne))],
  uploading: () => [...times(UPLOADS, upload)],
  watching: () => [makeDue()],
};

async function prepare(scenario: Scenario): Promise<void> {
  if (scenario === 'sorting')
    for (let added = 0; added < SORTED_ENTRIES; added += IN_A_FILE) await importFile('sorted', 'test');
  if (scenario === 'watching')
    for (let added = 0; added < WATCHED_NAMES; added += IN_A_FILE) await importFile('watched', 'example');
}

/** Keeps to the limits of its plan: refused with 429, it waits as long as it is asked to. */
async function send(path: string, body?: { type: string; text: string }): Promise<void> {
  const answer = await request(`${service}${path}`, {
    dispatcher,
    method: body ? 'POST' : 'GET',
    body: body?.text ?? null,
    headers: { ...headers, ...(body && { 'content-type': body.type }) },
  });
  await answer.body.dump();
  const seconds = Number(answer.headers['retry-after'] ?? 0);
  for (let waited = 0; isBusy && waited < seconds * 1_000; waited += 100) await pause(100);
}

async function importFile(label: string, tld: string): Promise<void> {
  names += IN_A_FILE;
  const rows = Array.from({ length: IN_A_FILE }, (_, n) => `${label}-${names - n}.${tld}`);
  await send('/v1/watchlist/import', { type: 'text/csv', text: `domain\n${rows.join('\n')}\n` });
}

async function addOne(): Promise<void> {
  names += 1;
  await send('/v1/watchlist', { type: 'application/json', text: `{"domain": "added-${names}.test"}` });
}

async function makeDue(): Promise<void> {
  await database.query(
    `update watched_names set next_check_at = now() where domain like 'watched-%.example' and next_check_at > now()`,
  );
}

/** A byte each second of a body of 10 000. */
async function upload(): Promise<void> {
  const { hostname, port } = new URL(service);
  while (isBusy) {
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
    socket.resume();
    const lines = [
      `POST /v1/watchlist/import HTTP/1.1`,
      `host: ${hostname}`,
      `authorization: ${headers.authorization}`,
    ];
    socket.write(`${[...lines, 'content-type: text/csv', 'content-length: 10000'].join('\r\n')}\r\n\r\ndomain\n`);
    while (isBusy && !socket.destroyed && socket.writable) {
      socket.write('a');
      await pause(1_000);
    }
    socket.destroy();
  }
}

async function repeat(task: () => Promise<void>): Promise<void> {
  while (isBusy) await task();
}

function times<Result>(many: number, make: () => Result): Result[] {
  return Array.from({ length: many }, make);
}

async function obey(order: Order): Promise<void> {
  if ('prepare' in order) return prepare(order.prepare);
  if ('begin' in order) {
    isBusy = true;
    work = BEGIN[order.begin]();
    return;
  }
  isBusy = false;
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await Promise.all(work);
}

answerOrders((order: Order) => obey(order).then(() => ({ done: true })));

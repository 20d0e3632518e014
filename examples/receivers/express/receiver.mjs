import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import express from 'express';
import { Webhook } from 'standardwebhooks';

const { WEBHOOK_SECRET = '', PORT = '8443', TLS_CERT, TLS_KEY } = process.env;
const webhook = new Webhook(WEBHOOK_SECRET);

/** Ids of events that were taken. In earnest: a table with a unique column, written before you answer. */
const taken = new Set();

const app = express();
// The signature is over the bytes as received: parsing and serializing again may change them.
app.post('/webhooks', express.raw({ type: () => true, limit: '100kb' }), (request, response) => {
  let event;
  try {
    event = webhook.verify(request.body, request.headers); // throws for what is forged, altered or too old
  } catch (error) {
    console.log(`refused: ${error.message}`);
    return response.sendStatus(400);
  }
  const isNew = !taken.has(event.id); // at least once: the same event may come again
  taken.add(event.id);
  response.sendStatus(204); // soon: what is not answered within 15 seconds comes again
  if (isNew) setImmediate(handle, event);
});

function handle({ id, type, data }) {
  switch (type) {
    case 'watchlist.available':
      return console.log(`${id}: ${data.domain} can be registered now`);
    case 'watchlist.status_changed':
    case 'watchlist.phase_changed':
      if (data.move === 'discovered') return console.log(`${id}: first answer about ${data.domain}: ${data.phase}`);
      return console.log(`${id}: ${data.domain} was ${data.previous_phase}, is ${data.phase} (${data.move})`);
    case 'watchlist.expiring':
      if (data.renewal) return console.log(`${id}: ${data.domain} is due for renewal on ${data.renewal.on}`);
      return console.log(`${id}: ${data.domain} expires on ${data.expires_at.slice(0, 10)}`);
    case 'watchlist.check_failing':
    case 'watchlist.check_recovered':
      return console.log(`${id}: ${data.domain}: ${type} (${data.code})`);
    case 'watchlist.record_changed':
      return console.log(`${id}: ${data.domain}: ${data.kind} changed`, data.before, data.after);
    case 'watchlist.drift_changed':
      return console.log(`${id}: ${data.domain}: not as expected: ${data.drift.join(', ') || 'nothing any more'}`);
    case 'channel.disabled':
      return console.log(`${id}: channel ${data.channel_id} was disabled (${data.reason})`);
    case 'channel.test':
      return console.log(`${id}: ${data.message}`);
    default:
      return console.log(`${id}: ${type} is new to this receiver`);
  }
}

const tls = TLS_CERT && TLS_KEY ? { cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) } : null;
const server = tls ? https.createServer(tls, app) : http.createServer(app);
server.listen(Number(PORT), '127.0.0.1', () => console.log(`listening on port ${PORT}`));

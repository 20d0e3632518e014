import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
import { Webhook } from 'standardwebhooks';

const { WEBHOOK_SECRET = '', PORT = '8443', TLS_CERT, TLS_KEY } = process.env;
const webhook = new Webhook(WEBHOOK_SECRET);

/** Ids of events that were taken. In earnest: a table with a unique column, written before you answer. */
const taken = new Set();

const https = TLS_CERT && TLS_KEY ? { cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) } : null;
const app = Fastify({ https, bodyLimit: 100_000 });

// The signature is over the bytes as received: parsing and serializing again may change them.
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

app.post('/webhooks', async (request, reply) => {
  let event;
  try {
    event = webhook.verify(request.body, request.headers); // throws for what is forged, altered or too old
  } catch (error) {
    console.log(`refused: ${error.message}`);
    return reply.code(400).send();
  }
  const isNew = !taken.has(event.id); // at least once: the same event may come again
  taken.add(event.id);
  if (isNew) setImmediate(handle, event); // later: what is not answered within 15 seconds comes again
  return reply.code(204).send();
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

await app.listen({ port: Number(PORT), host: '127.0.0.1' });
console.log(`listening on port ${PORT}`);

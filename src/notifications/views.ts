import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { after, SECOND } from '../kernel/clock.js';
import {
  CHANNEL_TYPES,
  ChannelDetailsView,
  ChannelView,
  EXAMPLE_SECRET,
  OpenChannelBody,
  OpenedChannelView,
} from './channel-settings/channels.dto.js';
import { webhookHeaders } from './channels/webhook-sender.js';
import { type ChannelSender, isType } from './domain/channel-sender.js';
import { EVENT_TYPES, type EventType } from './domain/event-type.js';
import { SigningSecret } from './domain/signing-secret.js';
import { EXAMPLE_EVENTS } from './events/event-examples.js';
import { EVENTS, eventUnion } from './events/event-schemas.js';
import { EventView } from './events/events.dto.js';

const HEADERS = {
  'webhook-id': 'The id of the event: the same on every attempt and replay.',
  'webhook-timestamp': 'When this attempt was made, in seconds since 1970. Reject webhooks older than five minutes.',
  'webhook-signature':
    'Standard Webhooks 1.0: `v1,` and the base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`, ' +
    'with the bytes that follow `whsec_` in base64 as the key. After a rotation there are several, separated by spaces: ' +
    `one match is enough. The examples are signed with \`${EXAMPLE_SECRET}\`.`,
  'user-agent': 'Name and version of this service.',
  'x-delivery-id': 'The id of the delivery, as in `GET /v1/notifications/{id}/deliveries`. Not signed.',
  'x-delivery-attempt': 'The number of the attempt, 1 for the first. Not signed.',
} as const;
type Header = keyof typeof HEADERS;

const RESPONSES = {
  WebhookTaken: { description: 'Accepted. Answer within 15 seconds; the body is ignored.' },
  WebhookGone: { description: 'The receiver wants no more events: the channel is disabled.' },
  WebhookRefused: {
    description:
      'Rejected, redirects included: retried, ten attempts over three days. So is no answer within 15 seconds. Five days ' +
      'of failures only disable the channel.',
    headers: {
      'Retry-After': {
        description: 'Seconds or a date. Honoured between the next retry delay and twice that.',
        schema: { type: 'string' },
      },
    },
  },
} as const;

const component = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });
/** Turns `x-delivery-id` into `DeliveryId`. */
const parameterName = (header: Header) =>
  header.replace(/^x-/, '').replace(/(?:^|-)(\w)/g, (_, first: string) => first.toUpperCase());
const headerNames = Object.keys(HEADERS) as Header[];

/** Adds the webhooks, and the union of all event schemas, to the API document. */
export function withEventContract(document: OpenAPIObject): OpenAPIObject {
  const { schemas, parameters, responses, ...components } = document.components ?? {};
  const [union = ''] = getSchemaPath(EventView).split('/').slice(-1);
  return {
    ...document,
    webhooks: Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: webhook(type) }])),
    components: {
      ...components,
      schemas: { ...schemas, [union]: eventUnion() },
      parameters: {
        ...parameters,
        ...Object.fromEntries(headerNames.map((name) => [parameterName(name), header(name)])),
      },
      responses: { ...responses, ...RESPONSES },
    },
  } as OpenAPIObject;
}

function webhook(type: EventType) {
  const { schema, summary, description } = EVENTS[type];
  const example = JSON.parse(EXAMPLE_EVENTS[type].body) as unknown;
  return {
    operationId: `on_${type.replace('.', '_')}`,
    tags: ['Notifications'],
    summary,
    description,
    security: [],
    parameters: headerNames.map((name) => component('parameters', parameterName(name))),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: getSchemaPath(schema) }, example } },
    },
    responses: {
      '2XX': component('responses', 'WebhookTaken'),
      '410': component('responses', 'WebhookGone'),
      default: component('responses', 'WebhookRefused'),
    },
  };
}

function header(name: Header) {
  const values = EVENT_TYPES.map((type) => [type, exampleHeaders(type)[name]] as const);
  const isCommon = new Set(values.map(([, value]) => value)).size === 1;
  const examples = isCommon
    ? { example: values[0]?.[1] }
    : { examples: Object.fromEntries(values.map(([type, value]) => [type, { value }])) };
  return { name, in: 'header', required: true, description: HEADERS[name], schema: { type: 'string' }, ...examples };
}

function exampleHeaders(type: EventType): Readonly<Record<string, string>> {
  const event = EXAMPLE_EVENTS[type];
  const secrets = [SigningSecret.restore(EXAMPLE_SECRET)];
  return webhookHeaders({
    deliveryId: 'dl_01jd6z0v8q3m4n5p6r7s8t9vwx',
    attempt: 1,
    sentAt: after(event.createdAt, SECOND),
    channel: { id: 'nc_01jd6z0v8q3m4n5p6r7s8t9vwx', accountId: '', target: '', secrets, credential: null, headers: {} },
    event,
  });
}

const CHANNEL_SCHEMAS = [OpenChannelBody, ChannelView, OpenedChannelView, ChannelDetailsView].map(({ name }) => name);

interface Schema {
  readonly properties?: Readonly<Record<string, object>>;
}

/** Adds the channel types of extensions to the API document, each with its example. */
export function withChannelTypes(document: OpenAPIObject, all: readonly ChannelSender[]): OpenAPIObject {
  const senders = all.filter(isType);
  const added = senders.filter(({ type }) => !CHANNEL_TYPES.includes(type));
  if (added.length === 0) return document;
  const schemas = { ...document.components?.schemas } as Record<string, Schema>;
  for (const name of CHANNEL_SCHEMAS) schemas[name] = withTypes(schemas[name], senders);
  const paths = { ...document.paths, [CHANNELS_PATH]: withExamples(document.paths[CHANNELS_PATH], added) };
  return { ...document, paths, components: { ...document.components, schemas } } as OpenAPIObject;
}

const CHANNELS_PATH = '/v1/notifications';

function withTypes(schema: Schema = {}, senders: readonly ChannelSender[]): Schema {
  const type = { ...schema.properties?.['type'], enum: senders.map(({ type }) => type).toSorted() };
  return { ...schema, properties: { ...schema.properties, type } };
}

function withExamples(path: OpenAPIObject['paths'][string] | undefined, added: readonly ChannelSender[]) {
  const { post } = path ?? {};
  const body = post?.requestBody;
  if (!body || !('content' in body)) return path;
  const json = body.content['application/json'];
  const examples = {
    ...json?.examples,
    ...Object.fromEntries(added.map((sender) => [sender.type, toExample(sender)])),
  };
  const content = { ...body.content, 'application/json': { ...json, examples } };
  return { ...path, post: { ...post, requestBody: { ...body, content } } };
}

function toExample({ type, secret, example }: ChannelSender) {
  const credential = secret === 'account' ? { credential: 'a credential of your own' } : {};
  return { summary: example.about, value: { type, target: example.target, ...credential } };
}

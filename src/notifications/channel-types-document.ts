import type { OpenAPIObject } from '@nestjs/swagger';
import { type ChannelSender, isType } from './domain/channel-sender.js';
import {
  CHANNEL_TYPES,
  ChannelDetailsView,
  ChannelView,
  OpenChannelBody,
  OpenedChannelView,
} from './channel-settings/channels.dto.js';

const SCHEMAS = [OpenChannelBody, ChannelView, OpenedChannelView, ChannelDetailsView].map(({ name }) => name);

interface Schema {
  readonly properties?: Readonly<Record<string, object>>;
}

/** Adds the channel types of extensions to the API document, each with its example. */
export function withChannelTypes(document: OpenAPIObject, all: readonly ChannelSender[]): OpenAPIObject {
  const senders = all.filter(isType);
  const added = senders.filter(({ type }) => !CHANNEL_TYPES.includes(type));
  if (added.length === 0) return document;
  const schemas = { ...document.components?.schemas } as Record<string, Schema>;
  for (const name of SCHEMAS) schemas[name] = withTypes(schemas[name], senders);
  const paths = { ...document.paths, [PATH]: withExamples(document.paths[PATH], added) };
  return { ...document, paths, components: { ...document.components, schemas } } as OpenAPIObject;
}

const PATH = '/v1/notifications';

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

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface OtlpValue {
  readonly stringValue?: string;
  readonly intValue?: number;
}
interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly status?: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: OtlpValue }[];
}
interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: OtlpSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** A span as the collector got it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parent: string | undefined;
  readonly name: string;
  readonly isFailed: boolean;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
}

/** Receives OTLP over HTTP on loopback. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  readonly paths: string[] = [];
  readonly services = new Set<string | number | undefined>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TraceCollector> {
    const server = createServer();
    const collector = new TraceCollector(server);
    server.on('request', (request, reply) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        collector.paths.push(request.url ?? '');
        collector.add(JSON.parse(Buffer.concat(chunks).toString()) as OtlpRequest);
        reply.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  named(name: string): CollectedSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private add({ resourceSpans }: OtlpRequest): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      this.services.add(toRecord(resource.attributes)['service.name']);
      for (const { spans } of scopeSpans)
        for (const { traceId, spanId, parentSpanId: parent, name, status, attributes } of spans)
          this.spans.push({
            traceId,
            spanId,
            parent,
            name,
            isFailed: status?.code === 2,
            attributes: toRecord(attributes),
          });
    }
  }
}

function toRecord(attributes: OtlpSpan['attributes']): CollectedSpan['attributes'] {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
}

import { Injectable } from '@nestjs/common';
import type { Socket } from 'node:net';
import { createGuardedConnector, type ConnectorOptions } from '../../../platform/outbound/guarded-connector.js';
import { OutboundError, type OutboundFailure, toOutboundError } from '../../../platform/outbound/outbound-error.js';

/** Where a WHOIS server listens. */
export interface WhoisAddress {
  readonly host: string;
  readonly port: number;
}

/** A whole answer: the server said all it wanted and closed. */
export interface WhoisReply {
  readonly kind: 'reply';
  readonly body: Buffer;
}

/** No answer, or one that was not read to its end. */
export interface WhoisNoResponse {
  readonly kind: 'no_response';
  readonly failure: OutboundFailure | 'too_large';
  readonly detail: string;
}

/** Bytes that are read; one more and the connection is closed. A record has a few thousand. */
const MAX_RESPONSE_BYTES = 128 * 1_024;

/**
 * RFC 3912: one line out, everything in, until the server closes. The address is judged as it is connected to. What the
 * network does wrong comes back as data.
 */
@Injectable()
export class WhoisClient {
  private readonly connector: ReturnType<typeof createGuardedConnector>;

  constructor(options: ConnectorOptions) {
    this.connector = createGuardedConnector(options);
  }

  /** @param signal bounds the whole exchange, however slowly the server drips. */
  async query(server: WhoisAddress, line: string, signal: AbortSignal): Promise<WhoisReply | WhoisNoResponse> {
    try {
      const socket = await this.connect(server, signal);
      return await exchange(socket, line, signal);
    } catch (error) {
      const outbound = toOutboundError(error);
      if (!outbound) throw error;
      return { kind: 'no_response', failure: outbound.failure, detail: outbound.message };
    }
  }

  /** A connection that comes after the deadline is closed unused. */
  private connect({ host, port }: WhoisAddress, signal: AbortSignal): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const abort = () => reject(timeoutError(signal));
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      const target = { hostname: host.replace(/^\[|\]$/g, ''), host, protocol: 'http:', port: `${port}` };
      this.connector(target, (...[error, socket]) => {
        signal.removeEventListener('abort', abort);
        if (error) return reject(error);
        if (!signal.aborted) return resolve(socket);
        socket.on('error', () => undefined).destroy(); // Nobody waits for it any more, nor for its errors.
      });
    });
  }
}

function exchange(socket: Socket, line: string, signal: AbortSignal): Promise<WhoisReply | WhoisNoResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const abort = () => socket.destroy(timeoutError(signal));
    const tooLarge = {
      kind: 'no_response',
      failure: 'too_large',
      detail: `more than ${MAX_RESPONSE_BYTES} bytes`,
    } as const;
    socket
      .on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size > MAX_RESPONSE_BYTES) socket.destroy();
      })
      .on('error', reject)
      .on('close', () => {
        signal.removeEventListener('abort', abort);
        resolve(size > MAX_RESPONSE_BYTES ? tooLarge : { kind: 'reply', body: Buffer.concat(chunks) });
      });
    signal.addEventListener('abort', abort, { once: true });
    // Half-closing at once would make some servers hang up before they answer.
    socket.write(`${line}\r\n`);
  });
}

function timeoutError(signal: AbortSignal): OutboundError {
  return new OutboundError('timeout', 'the deadline has passed', { cause: signal.reason });
}

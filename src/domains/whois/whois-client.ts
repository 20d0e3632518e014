import { Injectable } from '@nestjs/common';
import type { Socket } from 'node:net';
import type { AbortLike } from '../../platform/outbound/deadline.js';
import { createGuardedConnector, type ConnectorOptions } from '../../platform/outbound/guarded-connector.js';
import { OutboundError, type OutboundFailure, toOutboundError } from '../../platform/outbound/outbound-error.js';

export interface WhoisAddress {
  readonly host: string;
  readonly port: number;
}

/** A complete answer, after which the server closed the connection. */
export interface WhoisReply {
  readonly kind: 'reply';
  readonly body: Buffer;
}

/** No answer, or an incomplete answer. */
export interface WhoisNoResponse {
  readonly kind: 'no_response';
  readonly failure: OutboundFailure | 'too_large';
  readonly detail: string;
}

/** The maximum size of an answer. One byte more closes the connection. Records have a few thousand bytes. */
const MAX_RESPONSE_BYTES = 128 * 1_024;

/**
 * Sends one line, and reads until the server closes the connection (RFC 3912). Returns network errors instead of
 * throwing them.
 */
@Injectable()
export class WhoisClient {
  private readonly connector: ReturnType<typeof createGuardedConnector>;

  constructor(options: ConnectorOptions) {
    this.connector = createGuardedConnector(options);
  }

  /** @param signal limits the whole exchange, however slowly the server sends */
  async query(server: WhoisAddress, line: string, signal: AbortLike): Promise<WhoisReply | WhoisNoResponse> {
    try {
      const socket = await this.connect(server, signal);
      return await exchange(socket, line, signal);
    } catch (error) {
      const outbound = toOutboundError(error);
      if (!outbound) throw error;
      return { kind: 'no_response', failure: outbound.failure, detail: outbound.message };
    }
  }

  /** Opens a connection. Closes a connection that opens after the deadline. */
  private connect({ host, port }: WhoisAddress, signal: AbortLike): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const abort = () => reject(timeoutError(signal));
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort);
      const target = { hostname: host.replace(/^\[|\]$/g, ''), host, protocol: 'http:', port: `${port}` };
      this.connector(target, (...[error, socket]) => {
        signal.removeEventListener('abort', abort);
        if (error) return reject(error);
        if (!signal.aborted) return resolve(socket);
        socket.on('error', () => undefined).destroy(); // too late: neither the socket nor its errors matter
      });
    });
  }
}

function exchange(socket: Socket, line: string, signal: AbortLike): Promise<WhoisReply | WhoisNoResponse> {
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
    signal.addEventListener('abort', abort);
    // Closing this side of the connection now would make some servers disconnect before they answer.
    socket.write(`${line}\r\n`);
  });
}

function timeoutError(signal: AbortLike): OutboundError {
  return new OutboundError('timeout', 'the deadline has passed', { cause: signal.reason });
}

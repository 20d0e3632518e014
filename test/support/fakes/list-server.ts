import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A registry's web server on loopback, with the documents that it is given, or with any other answer. */
export class ListServer {
  readonly requests: { path: string; headers: IncomingHttpHeaders }[] = [];
  private readonly answers = new Map<string, (reply: ServerResponse, headers: IncomingHttpHeaders) => void>();
  private readonly server = createServer(this.serve());

  static async start(): Promise<ListServer> {
    const lists = new ListServer();
    await new Promise<void>((resolve) => lists.server.listen(0, '127.0.0.1', resolve));
    return lists;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** With its checksum beside it, and answers to conditional requests. */
  publishes(path: string, body: Buffer): void {
    const checksum = createHash('sha256').update(body).digest('hex');
    const etag = `"${checksum.slice(0, 16)}"`;
    this.says(path, (reply, headers) => {
      if (headers['if-none-match'] === etag) reply.writeHead(304).end();
      else reply.writeHead(200, { etag }).end(body);
    });
    this.says(`${path}.sha256`, (reply) => reply.end(`${checksum}  ${path.slice(1)}\n`));
  }

  says(path: string, answer: (reply: ServerResponse, headers: IncomingHttpHeaders) => void): void {
    this.answers.set(path, answer);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(): RequestListener {
    return ({ url: path = '/', headers }, reply) => {
      this.requests.push({ path, headers });
      const answer = this.answers.get(path);
      if (answer) answer(reply, headers);
      else reply.writeHead(404).end();
    };
  }
}

import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A reverse proxy that serves something else at `/`, and a service below a path, which it removes. */
export class PathProxy {
  /** Requests beside the path of the service. */
  readonly outside: string[] = [];
  private target: URL | null = null;

  private constructor(
    private readonly server: Server,
    private readonly path: string,
  ) {}

  /** @param path such as `/names` */
  static async start(path: string): Promise<PathProxy> {
    const server = createServer();
    const proxy = new PathProxy(server, path);
    proxy.serve();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** With the path of the service: `http://127.0.0.1:41234/names`. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${this.path}`;
  }

  leadTo(service: string): void {
    this.target = new URL(service);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(): void {
    this.server.on('request', (asked, answer) => {
      const { url = '', method, headers } = asked;
      if (this.target === null || !url.startsWith(`${this.path}/`)) {
        if (url !== '/favicon.ico') this.outside.push(`${method} ${url}`);
        return void answer.writeHead(404).end('something else is served here');
      }
      const { hostname, port } = this.target;
      const options = { hostname, port, method, headers, path: url.slice(this.path.length) };
      const passed = request(options, (reply) => {
        answer.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(answer);
      });
      passed.on('error', () => answer.destroy());
      answer.on('close', () => passed.destroy());
      asked.pipe(passed);
    });
  }
}

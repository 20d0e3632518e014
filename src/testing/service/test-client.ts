/** An answer of the API, its body parsed. */
export interface TestResponse<Body> {
  readonly status: number;
  readonly headers: Headers;
  /** null when there is none. */
  readonly body: Body;
}

/** `Body` is what the test expects; it is not checked. */
type Send = <Body = Record<string, unknown>>(path: string, body?: unknown) => Promise<TestResponse<Body>>;

/** Calls the API with JSON and the key of an account. */
export class TestClient {
  constructor(
    readonly url: string,
    /** Sent as the Bearer key; null sends none. */
    readonly key: string | null,
  ) {}

  readonly get: Send = (path) => this.send('GET', path);
  readonly post: Send = (path, body) => this.send('POST', path, body);
  readonly put: Send = (path, body) => this.send('PUT', path, body);
  readonly patch: Send = (path, body) => this.send('PATCH', path, body);
  readonly delete: Send = (path, body) => this.send('DELETE', path, body);

  /** The same service, called with another key. */
  withKey(key: string | null): TestClient {
    return new TestClient(this.url, key);
  }

  /** @param headers in addition to or in place of `authorization` and `content-type` */
  async send<Body>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestResponse<Body>> {
    const response = await fetch(new URL(path, this.url), {
      method,
      headers: {
        ...(this.key === null ? {} : { authorization: `Bearer ${this.key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parse(text) as Body };
  }
}

function parse(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}

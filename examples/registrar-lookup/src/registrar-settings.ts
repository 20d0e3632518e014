import { anyText, extensionSettings, listOf, required, url } from 'namewatch';

/** Where the registrar's API is, and for which TLDs it is asked. */
export class RegistrarSettings extends extensionSettings({
  url: required('ACME_REGISTRAR_URL', url('http:', 'https:'), { about: "Where the registrar's API is." }),
  apiKey: required('ACME_REGISTRAR_API_KEY', anyText, { about: 'Sent to it as a Bearer token.', isSecret: true }),
  tlds: required(
    'ACME_REGISTRAR_TLDS',
    listOf('top-level domains', (tld) => /^[a-z0-9-]+$/.test(tld)),
    { about: 'The top-level domains for which it is asked.' },
  ),
}) {
  /** Ends with a slash. */
  get base(): URL {
    return new URL(this.url.replace(/\/?$/, '/'));
  }
}

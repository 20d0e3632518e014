// A record as long as real ones, of a name that is registered for long.
const contact = (role: string) => ({
  objectClassName: 'entity',
  roles: [role],
  vcardArray: [
    'vcard',
    [
      ['version', {}, 'text', '4.0'],
      ['fn', {}, 'text', 'Redacted for privacy'],
      ['org', {}, 'text', 'Example Org'],
    ],
  ],
  remarks: [{ title: 'REDACTED FOR PRIVACY', description: ['Some of the data in this object has been removed.'] }],
});
const [head = '', tail = ''] = JSON.stringify({
  rdapConformance: ['rdap_level_0', 'icann_rdap_response_profile_1', 'icann_rdap_technical_implementation_guide_1'],
  objectClassName: 'domain',
  handle: '2138514_DOMAIN_COM-VRSN',
  ldhName: '{name}',
  links: [
    {
      value: 'https://registry.example/',
      rel: 'self',
      href: 'https://registry.example/',
      type: 'application/rdap+json',
    },
  ],
  status: ['client delete prohibited', 'client transfer prohibited', 'client update prohibited'],
  entities: [contact('registrar')],
  events: [
    { eventAction: 'registration', eventDate: '1997-09-15T04:00:00Z' },
    { eventAction: 'expiration', eventDate: '2099-09-14T04:00:00Z' },
    { eventAction: 'last changed', eventDate: '2019-09-09T15:39:04Z' },
    { eventAction: 'last update of RDAP database', eventDate: '2026-11-21T12:00:00Z' },
  ],
  secureDNS: { delegationSigned: false },
  nameservers: ['ns1', 'ns2', 'ns3', 'ns4'].map((host) => ({
    objectClassName: 'nameserver',
    ldhName: `${host}.example.net`,
  })),
  notices: [
    {
      title: 'Terms of Use',
      description: ['Service subject to Terms of Use.'],
      links: [{ href: 'https://registry.example/terms' }],
    },
    {
      title: 'Status Codes',
      description: ['For more information on domain status codes, please visit https://icann.org/epp'],
    },
    {
      title: 'RDDS Inaccuracy Complaint Form',
      description: ['URL of the ICANN RDDS Inaccuracy Complaint Form: https://icann.org/wicf'],
    },
  ],
}).split('{name}');

/** JSON, in ASCII. */
export function toRdapRecord(name: string): string {
  return head + name.toUpperCase() + tail;
}

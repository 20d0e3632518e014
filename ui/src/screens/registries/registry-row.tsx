import type { Canary, Registry, RegistryTld } from '../../../../clients/typescript/src/index.js';
import { Badge } from '../../components/badge.js';
import { ShortText } from '../../components/text.js';
import { useNow, When } from '../../components/when.js';
import { budgetText, registryState, sourcesText } from './registry-words.js';

const SHOWN_TLDS = 6;

export function RegistryRow({ registry }: { registry: Registry }) {
  const state = registryState(registry, useNow());
  return (
    <tr>
      <th scope="row">
        <ShortText value={registry.operator} max={48} />
      </th>
      <td data-label="TLDs">
        <Tlds tlds={registry.tlds} />
      </td>
      <td data-label="Protocol">{sourcesText(registry)}</td>
      <td data-label="Rate limit">{budgetText(registry.budget)}</td>
      <td data-label="State">
        <Badge tone={state.tone}>{state.label}</Badge>{' '}
        <span class="muted">
          {state.text} {state.until !== null && <When at={state.until} />}
        </span>
      </td>
    </tr>
  );
}

/** An operator may have hundreds of them. */
function Tlds({ tlds }: { tlds: readonly RegistryTld[] }) {
  const names = tlds.map(({ tld }) => `.${tld}`);
  const checked = tlds.flatMap(({ tld, canary }) => (canary ? [{ tld, canary }] : []));
  return (
    <>
      {names.length <= SHOWN_TLDS ? (
        names.join(' ')
      ) : (
        <details>
          <summary>
            {names.slice(0, SHOWN_TLDS).join(' ')} <span class="muted">and {names.length - SHOWN_TLDS} more</span>
          </summary>
          {names.slice(SHOWN_TLDS).join(' ')}
        </details>
      )}
      {checked.map(({ tld, canary }) => (
        <CanaryNote key={tld} tld={tld} canary={canary} />
      ))}
    </>
  );
}

/** Made while many names seem to drop at once. */
function CanaryNote({ tld, canary: { right, observed_at: observedAt, registered } }: { tld: string; canary: Canary }) {
  return (
    <p class="muted">
      Many names of .{tld} seemed to drop at once. A lookup of <code>{registered.domain}</code>, which is known, was{' '}
      {right ? 'right' : 'wrong'} <When at={observedAt} />.
    </p>
  );
}

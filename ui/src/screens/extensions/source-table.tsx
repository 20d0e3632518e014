import type { LookupSource } from '../../../../clients/typescript/src/index.js';
import { ShortText } from '../../components/text.js';
import { TldList } from '../../components/tld-list.js';

const ROLES: Readonly<Record<LookupSource['role'], string>> = {
  only: 'Its answer is final',
  first: 'Asked first; what it does not find is put to the registry too',
};

export function SourceTable({ sources, label }: { sources: readonly LookupSource[]; label: string }) {
  return (
    <div class="table-box" role="region" aria-label={label} tabIndex={0}>
      <table class="table stacked">
        <thead>
          <tr>
            <th scope="col">Source</th>
            <th scope="col">TLDs</th>
            <th scope="col">Role</th>
          </tr>
        </thead>
        <tbody>
          {sources.map(({ name, role, tlds }) => (
            <tr key={name}>
              <th scope="row">
                <ShortText value={name} max={60} />
              </th>
              <td data-label="TLDs">{tlds.length === 0 ? 'None at the moment' : <TldList tlds={tlds} />}</td>
              <td data-label="Role">{ROLES[role]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

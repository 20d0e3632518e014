import { PhaseBadge } from '../../components/badge.js';
import { When } from '../../components/when.js';
import { namePath } from '../../routes.js';
import type { UrgentName } from './read-agenda.js';

interface UrgentNamesProps {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly names: readonly UrgentName[];
}

export function UrgentNames({ id, title, about, names }: UrgentNamesProps) {
  if (names.length === 0) return null;
  return (
    <section class="card agenda-of-day" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p class="muted">{about}</p>
      <ul>
        {names.map(({ entryId, domain, phase, expiresAt }) => (
          <li key={entryId}>
            <a class="domain" href={namePath(domain)}>
              {domain}
            </a>
            <PhaseBadge phase={phase} />
            {expiresAt !== null && (
              <span class="muted">
                {Date.parse(expiresAt) < Date.now() ? 'expired' : 'renewed by its registry until'}{' '}
                <When at={expiresAt} show="day" />
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

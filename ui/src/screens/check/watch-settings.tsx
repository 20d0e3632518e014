import { PURPOSES } from '../../components/purpose-words.js';
import type { Purpose } from '../watchlist/list-query.js';
import { splitTags } from '../watchlist/many-form.js';

/** The typed settings for names that are added from results. */
export interface WatchForm {
  readonly tags: string;
  readonly purpose: Purpose;
}

export const USUAL_WATCH: WatchForm = { tags: '', purpose: 'monitor' };

/** Returns the settings for a request, without default values. */
export function toWatchSettings({ tags, purpose }: WatchForm): { tags?: string[]; purpose?: Purpose } {
  const chosen = splitTags(tags);
  return { ...(chosen.length > 0 && { tags: chosen }), ...(purpose !== USUAL_WATCH.purpose && { purpose }) };
}

interface WatchSettingsProps {
  readonly form: WatchForm;
  readonly onChange: (form: WatchForm) => void;
}

export function WatchSettings({ form, onChange }: WatchSettingsProps) {
  return (
    <details>
      <summary>Tags and purpose of what you watch</summary>
      <div class="field-row">
        <label class="field">
          <span class="field-label">Tags, separated by commas</span>
          <input
            placeholder="brand, shop"
            value={form.tags}
            onInput={({ currentTarget }) => onChange({ ...form, tags: currentTarget.value })}
          />
        </label>
        <label class="field">
          <span class="field-label">Purpose</span>
          <select
            value={form.purpose}
            onChange={({ currentTarget }) => onChange({ ...form, purpose: currentTarget.value as Purpose })}
          >
            {Object.entries(PURPOSES).map(([purpose, label]) => (
              <option key={purpose} value={purpose}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </div>
    </details>
  );
}

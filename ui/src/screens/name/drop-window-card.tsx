import type { DropWindow } from '../../../../clients/typescript/src/index.js';
import { Badge } from '../../components/badge.js';
import type { Tone } from '../../components/phase-words.js';
import { Text } from '../../components/text.js';
import { When } from '../../components/when.js';

const CONFIDENCE: Record<DropWindow['confidence'], { readonly label: string; readonly tone: Tone }> = {
  high: { label: 'High confidence', tone: 'good' },
  medium: { label: 'Medium confidence', tone: 'calm' },
  low: { label: 'Low confidence', tone: 'warn' },
};

/** When the name is expected to become available, and by which rule. */
export function DropWindowCard({ window }: { window: DropWindow | null }) {
  return (
    <section class="card" aria-labelledby="drop-window">
      <div class="card-head">
        <h2 id="drop-window">Drop window</h2>
        {window && <Badge tone={CONFIDENCE[window.confidence].tone}>{CONFIDENCE[window.confidence].label}</Badge>}
      </div>
      {window === null ? (
        <p class="muted">
          None: it is calculated once the registry has begun to delete the name, where its rule is known.
        </p>
      ) : (
        <dl class="facts">
          <dt>Earliest</dt>
          <dd>
            <When at={window.earliest} show="instant" /> (<When at={window.earliest} />)
          </dd>
          <dt>Likely</dt>
          <dd>
            <When at={window.likely} show="instant" otherwise="not known" />
          </dd>
          <dt>Latest</dt>
          <dd>
            <When at={window.latest} show="instant" otherwise="not known" />
          </dd>
          <dt>Rule</dt>
          <dd>
            <Text value={window.basis} max={240} />
          </dd>
        </dl>
      )}
    </section>
  );
}

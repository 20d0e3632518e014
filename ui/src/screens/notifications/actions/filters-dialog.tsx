import { useState } from 'preact/hooks';
import { changeNotificationChannel, type ChannelDetails } from '../../../../../clients/typescript/src/index.js';
import { useAction } from '../../../api/use-action.js';
import { useSession } from '../../../api/session.js';
import { Dialog } from '../../../components/dialog.js';
import { ProblemNote } from '../../../components/problem-note.js';
import type { EventFilter } from '../event-types.js';
import { FilterFields, parseTags } from '../filter-fields.js';

interface FiltersDialogProps {
  readonly channel: ChannelDetails;
  readonly onChanged: (channel: ChannelDetails) => void;
  readonly onClose: () => void;
}

export function FiltersDialog({ channel, onChanged, onClose }: FiltersDialogProps) {
  const { client } = useSession();
  const { isBusy, failure, run } = useAction();
  const [types, setTypes] = useState<readonly EventFilter[]>(channel.event_types);
  const [tags, setTags] = useState(channel.tags.join(', '));
  const submit = (event: Event) => {
    event.preventDefault();
    const body = { event_types: [...types], tags: parseTags(tags) };
    run(changeNotificationChannel({ client, path: { id: channel.id }, body }), (changed) => {
      onChanged(changed);
      onClose();
    });
  };
  return (
    <Dialog title="Which events" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <FilterFields types={types} tags={tags} onTypes={setTypes} onTags={setTags} />
        {failure && <ProblemNote failure={failure} />}
        <div class="button-row">
          <button type="submit" class="button primary" disabled={isBusy}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}

import type { Failure } from '../api/call.js';
import { Icon } from './icon.js';
import { Text } from './text.js';

interface ProblemNoteProps {
  readonly failure: Failure;
  readonly onRetry?: () => void;
}

/** What went wrong, in the words of the problem document, and how to name it to an administrator. */
export function ProblemNote({ failure, onRetry }: ProblemNoteProps) {
  const { title, detail, code, requestId, isRetryable, fields } = failure;
  return (
    <div class="problem" role="alert">
      <Icon name="warning" />
      <div class="problem-body">
        <p class="problem-title">
          <Text value={title} />
        </p>
        {detail !== '' && detail !== title && (
          <p>
            <Text value={detail} max={400} />
          </p>
        )}
        {fields.length > 0 && (
          <ul>
            {fields.map(({ pointer, message }) => (
              <li key={pointer + message}>
                <code>{pointer}</code> <Text value={message} />
              </li>
            ))}
          </ul>
        )}
        {requestId !== null && (
          <p class="problem-id muted">
            <code>{code}</code> · request <code>{requestId}</code>
          </p>
        )}
        {onRetry && isRetryable && (
          <button type="button" class="button small" onClick={onRetry}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}

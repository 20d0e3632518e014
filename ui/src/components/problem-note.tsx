import type { Failure } from '../api/call.js';
import { Icon } from './icon.js';
import { Text } from './text.js';

interface ProblemNoteProps {
  readonly failure: Failure;
  readonly onRetry?: () => void;
  readonly retryLabel?: string;
}

/**
 * Shows a failure in the words of its problem document. If only an administrator can help, also shows the request's id.
 */
export function ProblemNote({ failure, onRetry, retryLabel = 'Try again' }: ProblemNoteProps) {
  const { title, detail, code, requestId, isRetryable, fields } = failure;
  const isOfService = isRetryable || code === 'internal_error';
  // The detail of a refused form repeats the messages of its fields.
  const messages = fields.map(({ message }) => message).filter((message) => !detail.includes(message));
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
        {messages.length > 0 && (
          <ul>
            {messages.map((message) => (
              <li key={message}>
                <Text value={message} />
              </li>
            ))}
          </ul>
        )}
        {requestId !== null && isOfService && (
          <p class="problem-id muted">
            <code>{code}</code> · request <code>{requestId}</code>
          </p>
        )}
        {onRetry && isRetryable && (
          <button type="button" class="button small" onClick={onRetry}>
            {retryLabel}
          </button>
        )}
      </div>
    </div>
  );
}

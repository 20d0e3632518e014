import type { Expected } from '../../../../../clients/typescript/src/index.js';
import { Text } from '../../../components/text.js';

interface ExpectedFactsProps {
  readonly expected: Expected | null;
  readonly hasDrift: boolean;
  readonly hasRecord: boolean;
}

/** What the record should be, by the settings of the entry. */
export function ExpectedFacts({ expected, hasDrift, hasRecord }: ExpectedFactsProps) {
  if (expected === null) return null;
  const { nameservers, registrar_id: registrarId, locked } = expected;
  return (
    <div class="expected">
      <h3>You expect {!hasDrift && <span class="muted">– {hasRecord ? 'and so it is' : 'not compared yet'}</span>}</h3>
      <dl class="facts">
        {registrarId !== undefined && (
          <>
            <dt>Registrar</dt>
            <dd>IANA {registrarId}</dd>
          </>
        )}
        {nameservers !== undefined && (
          <>
            <dt>Name servers</dt>
            <dd>{nameservers.length === 0 ? 'none' : <Text value={nameservers.join(', ')} />}</dd>
          </>
        )}
        {locked !== undefined && (
          <>
            <dt>Transfers</dt>
            <dd>{locked ? 'locked' : 'allowed'}</dd>
          </>
        )}
      </dl>
    </div>
  );
}

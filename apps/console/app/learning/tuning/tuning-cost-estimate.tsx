import type { TuningEstimate } from '@pilothouse/contract/learning/tuning-progress.schema';
import { Card } from '@pilothouse/ui-kit';
import { count, dollars } from '../../shared/number-format.ts';
import { FactList } from '../fact-list.tsx';

/** Estimated tokens and cost of a tuning job. */
export function TuningCostEstimate({ estimate }: { estimate: TuningEstimate }) {
  const { examples, textTokens, imageTokens, images, epochs, isEpochsAssumed, trainedTokens, usd, reason } = estimate;
  const number = (value: number | null) => (value === null ? 'Not known' : count(value));
  return (
    <Card title="Estimate">
      <div role="status" className="grid gap-3">
        <p className="text-lg font-semibold">{usd === null ? 'Cost not known' : `About ${dollars(usd)}`}</p>
        {reason !== null && <p className="text-sm text-muted wrap-anywhere">{reason}</p>}
        <FactList
          facts={[
            ['Examples', `${number(examples)}${estimate.isExtrapolated ? ' (extrapolated)' : ''}`],
            ['Tokens of texts, per epoch', number(textTokens)],
            ['Tokens of images, per epoch', `${number(imageTokens)} (${number(images)} images)`],
            ['Epochs', `${count(epochs)}${isEpochsAssumed ? ' (assumed, the tuner decides)' : ''}`],
            ['Trained tokens', number(trainedTokens)],
          ]}
        />
      </div>
    </Card>
  );
}

/** A sentence of the contract: what stands in backticks is code. */
export const Help = ({ text }: { text: string }) => (
  <>
    {text.split('`').map((part, index) =>
      index % 2 === 0 ? (
        part
      ) : (
        <code key={index} className="font-mono">
          {part}
        </code>
      ),
    )}
  </>
);

/** Description from the contract. Text in backticks is shown as code. */
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

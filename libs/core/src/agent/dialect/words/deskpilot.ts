/* How a model is told to write actions as DeskPilot did (`../deskpilot.ts` reads it). */

/**
 * What stands behind the rules of a prompt that speaks of functions.
 * @param form JSON Schema of the answer; null: it is a text; @param foretells it is asked what a turn leads to
 */
export const deskPilotInstructions = (
  form: string | null,
  foretells: boolean,
) => `You cannot call functions here. Write actions instead, with semicolons between them, and nothing else:

BROWSER_NAVIGATE("url")
BROWSER_CLICK(element_index)
BROWSER_TYPE(element_index, "text")
CLICK(x, y)  a place of the picture, from 0 to 1000
SCROLL(amount)  negative: down; 5 is half a page
PRESS_KEY("key")  e.g. enter, ctrl+a
WAIT(seconds)
${form === null ? 'DONE("what the goal asks for, or empty")  the goal is met' : `DONE('JSON')  the goal is met; the answer, of this form: ${form}`}
FAIL("why")  it cannot be met
${foretells ? EXPECT : ''}
For example: BROWSER_TYPE(3, "mooring rope");PRESS_KEY("enter")${foretells ? ';EXPECT("Results", "mooring rope")' : ''}`;

/** What a turn leads to, as its last call says it where there are functions. */
const EXPECT = `EXPECT("title_or_url", "text")  behind the last action: what they lead to, where you know; either may be empty
SUB_GOALS("done: ...; next: ...")
`;

/* How a model is told to write actions as DeskPilot did (`../deskpilot.ts` reads it). */

/** What stands behind the rules of a prompt that speaks of functions. */
export const DESKPILOT_WORDS = `You cannot call functions here. Write actions instead, with semicolons between them, and nothing else:

BROWSER_NAVIGATE("url")
BROWSER_CLICK(element_index)
BROWSER_TYPE(element_index, "text")
CLICK(x, y)  a place of the picture, from 0 to 1000
SCROLL(amount)  negative: down; 5 is half a page
PRESS_KEY("key")  e.g. enter, ctrl+a
WAIT(seconds)
DONE("what the goal asks for, or empty")  the goal is met
FAIL("why")  it cannot be met

For example: BROWSER_TYPE(3, "mooring rope");PRESS_KEY("enter")`;

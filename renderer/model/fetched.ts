// Milliseconds.
const AGAIN_AFTER = 2_000

/** A part of the window that cannot be fetched now is asked for again until it is there: the rest goes on without it. */
export async function fetched<Part>(load: () => Promise<Part>): Promise<Part> {
  for (;;) {
    try {
      return await load()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER))
    }
  }
}

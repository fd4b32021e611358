// Milliseconds.
const AGAIN_AFTER = 2_000

/** Asks again for a part of the window that cannot be fetched now, until it is there. */
export async function fetched<Part>(load: () => Promise<Part>): Promise<Part> {
  for (;;) {
    try {
      return await load()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER))
    }
  }
}

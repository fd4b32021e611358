// Milliseconds.
const AGAIN_AFTER = 2_000

/**
 * Loads a part of the window. Where it cannot be fetched now, the window reloads itself when it
 * can: a browser does not ask again for a script that failed (HTML, module map).
 */
export async function fetched<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (error) {
    // Chromium and Firefox name it; for others the page stands for it.
    const [address = location.href] = /https?:\/\/\S+/.exec(String(error)) ?? []
    while (!(await isThere(address))) await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER))
    location.reload()
    return new Promise(() => undefined)
  }
}

const isThere = (address: string): Promise<boolean> =>
  fetch(address, { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )

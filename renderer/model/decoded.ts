/** Decodes a part of an address. Returns it unchanged if its percent signs are broken. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

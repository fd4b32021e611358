/**
 * Resolves with a program's resident memory in bytes, from its own metrics.
 * @param bearer a global key, or the owner's token
 */
export async function residentBytes(origin: string, bearer: string): Promise<number> {
  const answer = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${bearer}` } })
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(await answer.text())?.[1])
}

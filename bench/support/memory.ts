/**
 * Resident memory of a program, in bytes, as it says itself.
 * @param bearer who asks: a global key, or the owner's token
 */
export async function residentBytes(origin: string, bearer: string): Promise<number> {
  const answer = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${bearer}` } })
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(await answer.text())?.[1])
}

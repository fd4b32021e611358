/** How many messages of a linked sender went through an official one, month by month. */
export interface SecondRoadStore {
  /** @param month local, such as `2026-11` */
  count(senderId: number, month: string): Promise<number>
}

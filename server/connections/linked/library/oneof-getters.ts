import protobuf from 'protobufjs/minimal.js'

/**
 * Comes before the library. For each of the 2,200 optional members of its messages it makes a plain
 * object with that one member, and keeps it. They fill V8's list of how plain objects begin, which
 * has 1,536 places: from then on every object that is put together member by member gets a class of
 * its own, those of `process.nextTick` among them. These getters give the same without such objects
 * (docs/decisions/0092-library-cost.md).
 */
Object.assign(protobuf.util, {
  /** @param names of which a message has one; @returns a getter of the name that is set */
  oneOfGetter: (names: readonly string[]) =>
    function nameThatIsSet(this: Readonly<Record<string, unknown>>): string | undefined {
      return Object.keys(this).findLast((name) => names.includes(name) && this[name] != null)
    },
})

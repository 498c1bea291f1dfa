/** Makes something at the first call and gives the same to all later ones: a record that several tests of a file read. */
export const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

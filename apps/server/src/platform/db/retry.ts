const attempts = 5

/**
 * Two who lock the same rows in a different order, or append to the same audit chain, are served one after the other: the transaction of
 * the loser, which the database has undone, is run again. What it does outside of the database it does again too.
 */
export const retryOnConflict = async <T>(transaction: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction()
    } catch (error) {
      if (attempt >= attempts || !isConflict(error)) throw error
    }
  }
}

const isConflict = (error: unknown) => {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return code === '40001' || code === '40P01' || (code === '23505' && constraint === 'audit_entry_no_fork')
}

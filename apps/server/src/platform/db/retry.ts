const attempts = 5

/**
 * Runs a transaction again that lost a deadlock, a serialization conflict or the race for the next number of an audit chain. Its effects
 * outside the database happen again too.
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

const attempts = 5

/**
 * Runs a transaction again that lost a deadlock or a serialization conflict. Its effects outside the database happen again too.
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
  const { code } = error as { code?: string }
  return code === '40001' || code === '40P01'
}

package io.lineage.spark;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The number, the size and the newest modification of a set of files, with a digest of it. The digest is the sum
 * of a hash of each file, so that the files need not be sorted.
 */
public final class Manifest {
  /** The number of files of one executed plan that are hashed at most. */
  public static final int MAX_FILES = 100_000;

  private final MessageDigest sha256;
  private long files;
  private long bytes;
  private long newest;
  private long digest;

  public Manifest() {
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java has no SHA-256", e);
    }
  }

  /** Creates the manifest that another run reported. */
  public Manifest(long files, long bytes, long newest, String digest) {
    this();
    this.files = files;
    this.bytes = bytes;
    this.newest = newest;
    this.digest = Long.parseUnsignedLong(digest, 16);
  }

  /** Adds a file, with its modification in milliseconds since the epoch. */
  public void add(String path, long size, long modified) {
    String line = path + '\n' + size + '\n' + modified;
    digest += ByteBuffer.wrap(sha256.digest(line.getBytes(StandardCharsets.UTF_8))).getLong();
    newest = files == 0 ? modified : Math.max(newest, modified);
    bytes += size;
    files++;
  }

  public long files() {
    return files;
  }

  public long bytes() {
    return bytes;
  }

  public long newest() {
    return newest;
  }

  /** Returns whether both are manifests of the same set of files. */
  public boolean isSame(Manifest other) {
    return files == other.files && bytes == other.bytes && newest == other.newest && digest == other.digest;
  }

  void write(Json json) {
    json.object().field("files", files).field("bytes", bytes);
    if (files > 0) {
      json.field("newest", newest);
    }
    json.field("digest", String.format("%016x", digest)).endObject();
  }
}

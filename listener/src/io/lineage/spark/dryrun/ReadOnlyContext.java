package io.lineage.spark.dryrun;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * A file system for Hadoop's FileContext, without its writes. The log of Delta Lake and the checkpoints of streams use
 * this second interface of Hadoop, which has its own classes and settings.
 */
public final class ReadOnlyContext extends DelegateToFileSystem {
  /** Hadoop calls this constructor. */
  public ReadOnlyContext(URI uri, Configuration conf) throws IOException, URISyntaxException {
    super(uri, readOnly(uri.getScheme(), conf), conf, uri.getScheme(), false);
  }

  private static FileSystem readOnly(String scheme, Configuration conf) throws IOException {
    try {
      return FileSystem.getFileSystemClass(scheme, conf).getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IOException("no file system for " + scheme, e);
    }
  }

  @Override
  public FSDataOutputStream createInternal(
      Path file,
      EnumSet<CreateFlag> flags,
      FsPermission permission,
      int buffer,
      short copies,
      long block,
      Progressable progress,
      ChecksumOpt checksum,
      boolean createParent)
      throws IOException {
    throw ReadOnly.refused(file);
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    throw ReadOnly.refused(path);
  }

  @Override
  public void mkdir(Path path, FsPermission permission, boolean createParent) {
    // As in the other file systems, nothing can be written into the directory.
  }

  @Override
  public void renameInternal(Path from, Path to) throws IOException {
    throw ReadOnly.refused(from);
  }

  @Override
  public void createSymlink(Path target, Path link, boolean createParent) throws IOException {
    throw ReadOnly.refused(link);
  }

  @Override
  public void setOwner(Path path, String user, String group) throws IOException {
    throw ReadOnly.refused(path);
  }

  @Override
  public void setPermission(Path path, FsPermission permission) throws IOException {
    throw ReadOnly.refused(path);
  }

  @Override
  public boolean setReplication(Path path, short copies) throws IOException {
    throw ReadOnly.refused(path);
  }

  @Override
  public void setTimes(Path path, long modified, long accessed) throws IOException {
    throw ReadOnly.refused(path);
  }

  @Override
  public boolean truncate(Path file, long length) throws IOException {
    throw ReadOnly.refused(file);
  }
}

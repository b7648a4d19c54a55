package io.lineage.spark.dryrun;

import java.io.IOException;
import java.util.EnumSet;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/** The local file system without its writes. Hadoop requires a subclass of its own. */
public final class ReadOnlyLocalFileSystem extends LocalFileSystem {  @Override
  public FSDataOutputStream create(
      Path file, FsPermission permission, boolean overwrite, int buffer, short copies, long block, Progressable progress)
      throws IOException {
    throw ReadOnly.refused(file);
  }

  @Override
  public FSDataOutputStream create(
      Path file,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      int buffer,
      short copies,
      long block,
      Progressable progress,
      Options.ChecksumOpt checksum)
      throws IOException {
    throw ReadOnly.refused(file);
  }

  @Override
  public FSDataOutputStream createNonRecursive(
      Path file,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      int buffer,
      short copies,
      long block,
      Progressable progress)
      throws IOException {
    throw ReadOnly.refused(file);
  }

  @Override
  public FSDataOutputStream append(Path file, int buffer, Progressable progress) throws IOException {
    throw ReadOnly.refused(file);
  }

  @Override
  public boolean rename(Path from, Path to) throws IOException {
    throw ReadOnly.refused(from);
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    if (!exists(path)) {
      return false;
    }
    throw ReadOnly.refused(path);
  }

  @Override
  public boolean truncate(Path file, long length) throws IOException {
    throw ReadOnly.refused(file);
  }

  @Override
  public void concat(Path target, Path[] sources) throws IOException {
    throw ReadOnly.refused(target);
  }

  /** Spark creates the directory of its warehouse when it starts. Nothing can be written into directories. */
  @Override
  public boolean mkdirs(Path path, FsPermission permission) {
    return true;
  }

  @Override
  public boolean mkdirs(Path path) {
    return true;
  }

  @Override
  public void createSymlink(Path target, Path link, boolean createParent) throws IOException {
    throw ReadOnly.refused(link);
  }

  @Override
  public boolean setReplication(Path file, short copies) throws IOException {
    throw ReadOnly.refused(file);
  }

  @Override
  public void setPermission(Path path, FsPermission permission) throws IOException {
    throw ReadOnly.refused(path);
  }

  @Override
  public void setOwner(Path path, String user, String group) throws IOException {
    throw ReadOnly.refused(path);
  }

  @Override
  public void setTimes(Path path, long modified, long accessed) throws IOException {
    throw ReadOnly.refused(path);
  }

  @Override
  public void copyFromLocalFile(boolean delete, boolean overwrite, Path[] from, Path to) throws IOException {
    throw ReadOnly.refused(to);
  }

  @Override
  public void copyFromLocalFile(boolean delete, boolean overwrite, Path from, Path to) throws IOException {
    throw ReadOnly.refused(to);
  }

  @Override
  public Path startLocalOutput(Path output, Path local) throws IOException {
    throw ReadOnly.refused(output);
  }
}
